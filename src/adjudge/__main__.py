"""`python -m adjudge` is the command `adjudge`."""

from adjudge.cli import main

if __name__ == "__main__":
    main()
