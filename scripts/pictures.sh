#!/bin/sh
# Records the pictures of the documents, after a build: sh scripts/pictures.sh. `termtosvg` (a package of Debian) runs
# commands in a terminal, here against a sandbox; a picture is its last frame. Look at each before you commit it.
set -eu
cd "$(dirname "$0")/.."
work=$(mktemp -d)
node bin/chanlist.js serve --port 8787 >/dev/null &
trap 'kill $!; rm -rf "$work"' EXIT

# NAME ROWS COMMAND...: what a terminal of so many rows shows after these commands, which have no single quotes.
picture() (
  out=$PWD/docs/pictures/$1.svg rows=$2
  mkdir "$work/$1"
  ln -s "$PWD/bin/chanlist.js" "$work/$1/chanlist"
  cd "$work/$1"
  shift 2
  for command; do
    printf "printf '\033[32m$\033[0m %%s\\\\n' '%s'; %s\n" "$command" "$command"
  done >session
  env -i PATH="$PWD:$PATH" HOME="$PWD" TERM=xterm LANG=C.UTF-8 PAGER=cat \
    CHANLIST_BASE_URL=http://127.0.0.1:8787 CHANLIST_API_KEY=sk_sandbox \
    script -qec "termtosvg frames -s -t window_frame -g 92x$rows -c 'sh session'" /dev/null
  cp "$(ls frames/*.svg | tail -n 1)" "$out"
)

picture table 18 'chanlist uploads @demo --limit 12'
picture resume 13 'chanlist uploads @demo -o demo.ndjson --max-credits 5' 'chanlist uploads @demo -o demo.ndjson' \
  'wc -l demo.ndjson' 'chanlist credits'
picture jq 7 'chanlist latest @demo | jq -c "{videoId, published, viewCount}" | head -n 5'
