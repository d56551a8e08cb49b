"""Reports: markdown with figures, or one HTML page.

    study.py      everything in a report on an instance, computed once
    chart.py      its figure;  drawing.py  how any figure looks and is saved
    colours.py    the colours, light and dark;  palette.py  what each of them means
    writing.py    templates to markdown;  html.py  markdown to a page;  mathml.py  formulas in pages
    saving.py     pages to files;  present.py  rows and lines that commands and pages share
    headline.py   the questions that a theory answers;  summaries.py  which results are informative
    instance.py   `boundcheck report`;  robustness.py  other laws
    audit.py      `boundcheck audit`;  claim_page.py  its page of one claim

The same inputs give the same bytes: nothing here depends on the time or the machine.
"""
