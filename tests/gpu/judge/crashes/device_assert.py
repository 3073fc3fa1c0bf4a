"""An assertion on the device fails.

task: relu
expect: crash load_error
"""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        places = torch.full((1,), 1 << 40, dtype=torch.int64, device=x.device)
        return torch.gather(x.reshape(-1), 0, places).expand(x.shape).contiguous()
