"""Gives two outputs of different types, one of them of whole numbers, as torch does.

task: maxima_and_places
expect: passed
"""

import torch


class ModelNew(torch.nn.Module):
    def forward(self, x):
        values, places = torch.empty(x.shape[0]), torch.empty(x.shape[0], dtype=torch.int64)
        for i, row in enumerate(x.tolist()):
            values[i] = largest = max(row)
            places[i] = row.index(largest)
        return values, places
