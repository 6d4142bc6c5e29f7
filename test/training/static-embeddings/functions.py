"""The two functions that training spends its time in, with their gradients."""
import ctypes

import torch

from native import load, pointer

NATIVE = load("bags")


class SumOfBags(torch.autograd.Function):
    """Sums of weighted rows: `apply(rows, weights, ids, starts)`."""

    @staticmethod
    def forward(context, rows, weights, ids, starts):
        sums = torch.empty(len(starts), rows.shape[1])
        NATIVE.forward(*arguments(rows, weights, ids, starts), pointer(sums))
        context.save_for_backward(rows, weights, ids, starts)
        return sums

    @staticmethod
    def backward(context, gradients):
        rows, weights, ids, starts = context.saved_tensors
        gradients = gradients.contiguous()
        of_rows, of_weights = torch.zeros_like(rows), torch.zeros_like(weights)
        outputs = pointer(gradients), pointer(of_rows), pointer(of_weights)
        NATIVE.backward(*arguments(rows, weights, ids, starts), *outputs)
        return of_rows, of_weights, None, None


def arguments(rows, weights, ids, starts):
    lengths = ctypes.c_int64(len(starts)), ctypes.c_int64(len(ids))
    return pointer(rows), pointer(ids), pointer(starts), *lengths, pointer(weights), rows.shape[1]


class ContrastiveLoss(torch.autograd.Function):
    """Symmetric InfoNCE over a batch of unit vectors: `apply(ones, others, temperature)`."""

    @staticmethod
    def forward(context, ones, others, temperature):
        count, top = len(ones), 1 / temperature
        scores = (ones @ others.T).mul_(top)
        right = scores.diagonal().clone()
        powers = scores.sub_(top).exp_()
        by_row, by_column = powers.sum(1), powers.sum(0)
        loss = 0.5 * ((by_row.log() + top - right).mean() + (by_column.log() + top - right).mean())
        powers.mul_((1 / by_row)[:, None] + (1 / by_column)[None])
        scale = top / (2 * count)
        context.save_for_backward(
            scale * (powers @ others - 2 * others), scale * (powers.T @ ones - 2 * ones)
        )
        return loss

    @staticmethod
    def backward(context, gradient):
        of_ones, of_others = context.saved_tensors
        return gradient * of_ones, gradient * of_others, None
