"""torch.compile of the reference's code inside of the candidate.

task: softmax
expect: library_calls crash timeout
class: E none
long: yes
"""

import torch


@torch.compile
def compiled(x):
    return torch.softmax(x, dim=1)


class ModelNew(torch.nn.Module):
    def forward(self, x):
        return compiled(x)
