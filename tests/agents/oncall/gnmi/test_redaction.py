"""No secret of a device leaves, wherever it stands."""

from __future__ import annotations

import json

import pytest

from signalbox.agents.oncall.gnmi.redaction import clean, without_secrets

SECRET = "Zq9vTr4mLk2x"


@pytest.mark.parametrize(
    "text",
    [
        f"username admin secret 10 $6$abcd${SECRET}",
        f"username admin password 7 {SECRET}",
        f"neighbor 10.0.0.1 password encrypted {SECRET}",
        f"snmp-server community {SECRET} RO",
        f"key-string {SECRET}",
        f"login failed, password={SECRET}",
        f"https://admin:{SECRET}@10.0.0.1/",
        f"-----BEGIN RSA PRIVATE KEY-----\n{SECRET}\n-----END RSA PRIVATE KEY-----",
        f"tacacs-server key 7 {SECRET}",
    ],
)
def test_a_secret_in_a_text_is_hidden(text: str) -> None:
    assert SECRET not in clean(text)
    assert SECRET not in json.dumps(clean({"logs": [{"text": text}]}))


@pytest.mark.parametrize(
    "text",
    [
        "neighbor 10.0.0.1 Down - password mismatch",
        "Interface GigabitEthernet0/0/0/1, changed state to Down",
        "Invalid MD5 digest from 10.0.0.1:179 to 10.0.0.2:52114",
        "this is a key customer, call them first",
        "The community of engineers",
    ],
)
def test_what_is_no_secret_stays(text: str) -> None:
    assert clean(text) == text


def test_characters_that_nobody_sees_are_dropped() -> None:
    assert clean("\x1b[2Jto \u202epe1\u202c\x07\nline two\tend") == "to pe1\nline two\tend"


def test_leaves_that_hold_secrets_are_not_even_kept() -> None:
    tree = {"user": [{"username": "admin", "password-hashed": SECRET}], "server": {"secret-key": SECRET, "port": 49}}
    assert without_secrets(tree) == {"user": [{"username": "admin"}], "server": {"port": 49}}
