#!/bin/sh
# The machines have no udev: rules are kept and nothing reads them.
exit 0
