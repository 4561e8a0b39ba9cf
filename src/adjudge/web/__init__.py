"""The annotation app: thin routes, templates, static files. What is asked and kept lives in judgments/.

app          the application, put together; serving.py runs it
routes       every route with the role that it asks for; what is not in that table does not exist
access       who is visiting, and what protects a visit: roles, CSRF, headers
site         one evaluation as the app holds it
blind        public ids; units: those of units
answering    answers that come in, checked and stored
work         what an assessor has to do, and how far they are
coverage, rating, pairs   what the pages of each kind show
sampler      which sentence pair comes next
organiser    what the organiser's page shows
"""
