"""Has torch build C++ that calls torch for the work.

task: relu
expect: library_calls
class: E
long: yes
options: {"call_limit_ms": 60000}
"""

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor relu(torch::Tensor x) {
  return torch::relu(x);
}
"""

OPS = load_inline(name="inline_call", cpp_sources=[SOURCE], functions=["relu"], extra_cflags=["-O2"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return OPS.relu(x)
