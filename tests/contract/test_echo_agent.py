"""The contract's own example and its own test, as they are written there."""
# ruff: noqa: UP006, UP035, W293

from typing import Any, Dict

from signalbox.contract import BaseAgent


# fmt: off
class EchoAgent(BaseAgent):
    """Echo agent that simply returns input data unchanged."""
    
    def process(self, inputs: Dict[str, Any]) -> Any:
        """
        Echo back the input data unchanged.
        
        Args:
            inputs: Dictionary containing input values from input_fields
            
        Returns:
            The input data unchanged
        """
        self.log_info(f"[EchoAgent] '{self.name}' received inputs: {inputs} and prompt: '{self.prompt}'")
        
        # If there are inputs, return the first one
        if inputs:
            # Return all inputs as a dictionary to maintain structure
            return inputs
        
        # Default return if no inputs
        return "No input provided to echo"


def test_echo_agent():
    # Set up
    agent = EchoAgent("Echo", "{input}", {"input_fields": ["input"], "output_field": "echoed"})
    inputs = {"input": "Hello, world!"}
    
    # Test process method directly
    result = agent.process(inputs)
    
    # Verify
    assert result["input"] == "Hello, world!"
# fmt: on


def test_the_example_runs_on_a_state_too() -> None:
    agent = EchoAgent("Echo", "{input}", {"input_fields": ["input"], "output_field": "echoed"})
    assert agent.run({"input": "Hello", "other": 1}) == {"echoed": {"input": "Hello"}, "last_action_success": True}


def test_the_example_without_inputs_says_so() -> None:
    assert EchoAgent("Echo", "").run({})["output"] == "No input provided to echo"


def test_the_built_in_echo_gives_all_inputs_by_name() -> None:
    from signalbox.maps.agents.basic import EchoAgent as BuiltIn

    for prompt in ("", "{input}"):
        agent = BuiltIn("Echo", prompt, {"input_fields": ["input"], "output_field": "echoed"})
        assert agent.run({"input": "hi"})["echoed"] == {"input": "hi"}
