"""`boundcheck serve`: the calculator as a page. Only the command line imports this package.

    command.py      the command `serve`                static/      the page: HTML, CSS, JavaScript
    serving.py      address, server, shutdown          app.py       routes and responses
    security.py     which requests are allowed         worker.py    a worker process
    worker_pool.py  worker processes, their queue and their limits
    answers.py, curves.py   results on an instance     lines.py     bounds that are typed
    jobs.py                 simulations, verifications and reports

The server itself imports no mathematics: it passes requests to worker processes, which it can end.
Two workers stay for short requests, so that typing never waits for somebody's long job. Each job
gets a worker of its own, which ends with the job or with the connection that asked for it.
"""
