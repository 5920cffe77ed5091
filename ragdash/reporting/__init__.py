"""Results for people: figures, sentences, tables and the HTML report. The only part that imports plotly (plots/)."""
