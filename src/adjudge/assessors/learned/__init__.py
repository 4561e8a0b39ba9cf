"""The learned judge: a program that assigns completeness as people did. Lin and Hovy 2002, section 5.1."""
