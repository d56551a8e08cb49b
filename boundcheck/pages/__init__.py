"""Reports for people: markdown with figures beside it, or one HTML page.

    study.py      everything a report on an instance says, computed once
    charts.py     its figures;  drawing.py  how any figure of this project looks and is saved
    palette.py    one colour, one meaning;  model.py  the model in one picture
    writing.py    templates to markdown;  html.py  markdown to a page of its own
    instance.py   `boundcheck report`;  advice.py  what to do;  theorist.py  what says anything
    audit.py      `boundcheck audit`;  figures.py  `boundcheck figures`

The same inputs give the same bytes: nothing here knows the time, the machine or the speed.
"""
