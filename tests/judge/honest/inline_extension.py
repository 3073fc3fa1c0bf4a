"""Has torch build C++ while it is loaded, as many published candidates do.

task: relu
expect: passed
long: yes
options: {"call_limit_ms": 60000}
"""

import torch
from torch.utils.cpp_extension import load_inline

SOURCE = """
torch::Tensor relu(torch::Tensor x) {
  auto y = torch::empty_like(x);
  auto from = x.data_ptr<float>();
  auto to = y.data_ptr<float>();
  for (int64_t i = 0; i < x.numel(); ++i) to[i] = from[i] > 0 ? from[i] : 0;
  return y;
}
"""

OPS = load_inline(name="inline_relu", cpp_sources=[SOURCE], functions=["relu"], extra_cflags=["-O2"])


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return OPS.relu(x)
