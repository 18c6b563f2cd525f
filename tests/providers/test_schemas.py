"""What is left of a JSON Schema on its way to a provider."""

from hypothesis import given
from hypothesis import strategies as st

from judgekit.providers.schemas import plain_schema, strict_schema

BOUNDS = {
    "minimum": 0,
    "maximum": 1,
    "minLength": 1,
    "maxLength": 9,
    "pattern": "^a",
    "format": "date",
    "minItems": 1,
    "default": 0,
    "title": "T",
}


def test_bounds_are_left_out_at_every_depth():
    leaf = {"type": "number", "description": "d", **BOUNDS}
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"a": leaf, "b": {"type": "array", "items": leaf, "maxItems": 3}},
        "$defs": {"c": leaf},
    }
    bare = {"type": "number", "description": "d"}
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {"a": bare, "b": {"type": "array", "items": bare}},
        "$defs": {"c": bare},
    }


def test_a_property_may_be_called_like_a_keyword():
    schema = {"type": "object", "properties": {"minimum": {"type": "number"}, "title": {"type": "string"}}}
    assert set(plain_schema(schema)["properties"]) == {"minimum", "title"}


def test_strict_objects_require_every_property_and_allow_no_other():
    inner = {"type": "object", "properties": {"x": {"const": "one"}}}
    sent, strict = strict_schema(
        {
            "type": "object",
            "properties": {"a": inner, "b": {"anyOf": [inner, {"type": "null"}]}},
            "required": ["a"],
        }
    )
    assert strict
    assert (sent["required"], sent["additionalProperties"]) == (["a", "b"], False)
    assert sent["properties"]["a"] == {
        "type": "object",
        "properties": {"x": {"enum": ["one"]}},
        "required": ["x"],
        "additionalProperties": False,
    }
    assert sent["properties"]["b"]["anyOf"][0]["required"] == ["x"]


def test_what_cannot_be_strict_is_sent_as_it_is():
    free_form = {"type": "object", "properties": {"notes": {"type": "object"}}, "required": []}
    one_of = {"type": "object", "properties": {"a": {"oneOf": [{"type": "string"}, {"type": "null"}]}}}
    extra = {"type": "object", "properties": {"a": {"type": "string"}}, "additionalProperties": True}
    for schema in (free_form, one_of, extra):
        assert strict_schema(schema) == (schema, False)


def test_the_given_schema_is_never_changed():
    schema = {"type": "object", "properties": {"a": {"type": "number", "minimum": 0}}}
    strict_schema(schema)
    assert schema == {"type": "object", "properties": {"a": {"type": "number", "minimum": 0}}}


schemas = st.recursive(
    st.sampled_from([{"type": "string"}, {"type": "number", **BOUNDS}, {"type": "null"}, {"const": 1}]),
    lambda children: st.one_of(
        st.builds(
            lambda properties: {"type": "object", "properties": properties},
            st.dictionaries(st.sampled_from("abc"), children, max_size=3),
        ),
        st.builds(lambda items: {"type": "array", "items": items}, children),
        st.builds(lambda options: {"anyOf": options}, st.lists(children, min_size=1, max_size=3)),
    ),
    max_leaves=8,
)


def objects_in(node):
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for child in node.values():
            yield from objects_in(child)
    elif isinstance(node, list):
        for child in node:
            yield from objects_in(child)


@given(schemas)
def test_every_object_of_a_strict_schema_is_closed(schema):
    sent, strict = strict_schema(schema)
    assert strict
    for found in objects_in(sent):
        assert found["additionalProperties"] is False
        assert found["required"] == list(found["properties"])
