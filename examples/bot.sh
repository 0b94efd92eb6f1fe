#!/bin/sh
# The smallest bot there is: it takes the first legal action, whatever that is.
# Run it with: euchre bot run --stdio 'sh bot.sh'
while read -r line; do
  printf '%s\n' "$line" | sed 's/.*"legal":\["\([^"]*\)".*/\1/'
done
