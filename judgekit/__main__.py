"""`python -m judgekit`, the same as the command `judgekit`."""

from judgekit.cli import main

if __name__ == "__main__":
    main()
