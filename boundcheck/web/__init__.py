"""`boundcheck serve`: the calculator as a page. Only the command line imports this package.

    serving.py     an address, a server, Ctrl-C        app.py        what is asked under which path
    security.py    who may ask, what a page may load   processes.py  who computes, for how long
    command.py     the command `serve`                 lines.py      bounds that are typed
    worker.py      a process that answers: answers.py, curves.py  what the theory says,
                   jobs.py  runs, verdicts, a report
    static/        the page: it asks and shows, and computes nothing

The server imports no mathematics: it hands requests to processes that it can end. Two of them stay
and answer at once, who types waits for no one's long job; each job gets one of its own, which ends
with the job or with the connection that asked for it.
"""
