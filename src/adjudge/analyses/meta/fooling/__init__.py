"""Can measures be fooled?"""
