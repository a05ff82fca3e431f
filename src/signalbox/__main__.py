"""`python -m signalbox` is the command `signalbox`."""

from signalbox.cli import main

if __name__ == "__main__":
    main()
