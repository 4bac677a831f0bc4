"""Sends the requests on standard input, and prints what the library in the first argument makes of each response.

A request is a line: method, URL, headers (separated by "|") and body, separated by tabs. The line that is printed has the
status and the SHA-256 of the body, or "error" and the text of the error.
"""
import asyncio
import hashlib
import sys


def with_requests():
    import requests

    session = requests.Session()
    # Retries of urllib3, which honor Retry-After
    session.mount("http://", requests.adapters.HTTPAdapter(max_retries=3))

    async def send(method, url, headers, body):
        response = session.request(method, url, headers=headers, data=body, timeout=60)
        return response.status_code, response.content

    return send


def with_urllib3():
    import urllib3

    pool = urllib3.PoolManager()

    async def send(method, url, headers, body):
        accept = {"Accept-Encoding": "gzip"}
        response = pool.request(method, url, headers={**accept, **headers}, body=body, timeout=60)
        return response.status, response.data

    return send


def with_httpx():
    import httpx

    client = httpx.AsyncClient(timeout=60)

    async def send(method, url, headers, body):
        response = await client.request(method, url, headers=headers, content=body)
        return response.status_code, response.content

    return send


def with_aiohttp():
    import aiohttp

    session = aiohttp.ClientSession()

    async def send(method, url, headers, body):
        async with session.request(method, url, headers=headers, data=body) as response:
            return response.status, await response.read()

    return send


async def main():
    send = globals()[f"with_{sys.argv[1]}"]()
    for line in sys.stdin:
        method, url, headers, body = line.rstrip("\n").split("\t")
        fields = dict(field.split(": ", 1) for field in headers.split("|") if field)
        try:
            status, content = await send(method, url, fields, body.encode() if body else None)
            print(status, hashlib.sha256(content).hexdigest(), sep="\t", flush=True)
        except Exception as error:
            print("error", repr(error).replace("\n", " "), sep="\t", flush=True)


# aiohttp needs a running loop when its session is made
asyncio.run(main())
