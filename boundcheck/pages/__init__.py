"""Reports for people: markdown with figures beside it, or one HTML page.

    study.py      everything a report on an instance says, computed once
    chart.py      its figure;  drawing.py  how any figure looks and is saved
    colours.py    the colours, light and dark;  palette.py  what each of them means
    writing.py    templates to markdown;  html.py  markdown to a page;  mathml.py  formulas in pages
    instance.py   `boundcheck report`;  theorist.py  what says anything;  robustness.py  other laws
    audit.py      `boundcheck audit`;  claim_page.py  its page of one claim

The same inputs give the same bytes: nothing here knows the time, the machine or the speed.
"""
