"""A server of WebSockets: websocket.py PORT. Sends back what it gets; /refused gets a 403, /bye is closed at once."""

import asyncio
import http
import sys

import websockets


async def answer(socket, path):
    if path == "/ws/bye":
        return await socket.close(4001, "bye")
    async for message in socket:
        await socket.send(message)


async def refuse(path, _):
    return (http.HTTPStatus.FORBIDDEN, [], b"no\n") if path == "/ws/refused" else None


async def main():
    serving = websockets.serve(answer, "127.0.0.1", int(sys.argv[1]), subprotocols=["echo"], process_request=refuse)
    async with serving:
        await asyncio.Future()


asyncio.run(main())
