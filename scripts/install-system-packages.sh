#!/usr/bin/env bash
# Installs the Debian packages that the tests need and pip cannot give: a browser. Does nothing where one is found.
set -euo pipefail

for browser in chromium chromium-browser google-chrome; do
    if command -v "$browser" >/dev/null; then
        exit 0
    fi
done

if [ "$(id -u)" -ne 0 ] || ! command -v apt-get >/dev/null; then
    echo "The browser tests need Chromium. Install it (Debian: sudo apt-get install chromium) and try again." >&2
    exit 1
fi

export DEBIAN_FRONTEND=noninteractive
echo "Installing Debian's chromium for the browser tests"
apt-get update --quiet=2
apt-get install --quiet=2 --yes --no-install-recommends chromium >/dev/null
