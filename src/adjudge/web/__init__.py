"""The annotation app: thin routes, pages, templates, static files.

app, serving   the application put together, and run
routes         every route with the role that it asks for; what is not in that table does not exist
access, signing   who is visiting, and what protects a visit; signing in and out
site           one evaluation as the app holds it
desks          what people have to do and have answered, kept in memory and compared with the store at every look
blind          what the browser is given in place of ids that tell something
api, answering what the pages' scripts call; answers checked and stored
closing        when pages that are done close
sampler        which pair comes next
pages/         what each page shows: one frozen object a page
"""
