#!/bin/sh
# What a shell script does: curl for each page, jq for its entries and for the next token. curl-jq.sh URL CHANNEL
query="channel=$2"
while [ -n "$query" ]; do
  page=$(curl -sf -H 'authorization: Bearer sk_bench' "$1/api/v2/media/channel/videos?$query") || exit 1
  printf '%s' "$page" | jq -c '.results[]'
  token=$(printf '%s' "$page" | jq -r 'if .has_more then .continuation_token else "" end')
  query=${token:+continuation=$token}
done
