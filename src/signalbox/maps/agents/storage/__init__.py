"""The storage agent types: CSV, JSON and text files under the data folder of the run, never outside it."""

from signalbox.maps.agents.storage.csv_files import CsvReaderAgent, CsvWriterAgent
from signalbox.maps.agents.storage.json_files import JsonReaderAgent, JsonWriterAgent
from signalbox.maps.agents.storage.text_files import FileReaderAgent, FileWriterAgent
from signalbox.maps.agents.storage.vector_files import VectorReaderAgent, VectorWriterAgent

__all__ = [
    "CsvReaderAgent",
    "CsvWriterAgent",
    "FileReaderAgent",
    "FileWriterAgent",
    "JsonReaderAgent",
    "JsonWriterAgent",
    "VectorReaderAgent",
    "VectorWriterAgent",
]
