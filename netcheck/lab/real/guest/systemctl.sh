#!/bin/sh
# The machines have no systemd. This runs what a oneshot unit's ExecStart says, as it would.
set -eu
folder=/etc/systemd/system
verb=$1 unit=${2:-}
name=${unit%%@*} instance=${unit#*@}
instance=${instance%.service}
file=$folder/$unit
[ -e "$file" ] || file=$folder/$name@.service
link=$folder/multi-user.target.wants/$unit
case $verb in
daemon-reload) exit 0 ;;
enable) mkdir -p "${link%/*}" && ln -sf "$file" "$link" ;;
disable) rm -f "$link" ;;
is-enabled)
  if [ -L "$link" ]; then echo enabled; exit 0; fi
  if [ -e "$file" ]; then echo disabled; exit 1; fi
  echo "Failed to get unit file state for $unit: No such file or directory" >&2
  exit 1 ;;
start | restart)
  line=$(sed -n "s/^ExecStart=//p" "$file" | sed "s/%[iI]/$instance/g")
  sh -c "$line" ;;
*) echo "systemctl: $verb is not known here" >&2; exit 1 ;;
esac
