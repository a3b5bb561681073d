using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination;
using QuickSilver.Protocol.Dissemination.Groups;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Sending;

/// <summary>One call of <see cref="Group.SendConfirmedAsync"/>: follows its message on the core thread, completes on the pool.</summary>
/// <param name="payload">The message.</param>
/// <param name="started">When the call was made.</param>
internal sealed class ConfirmTicket(PooledPayload payload, Instant started) : SendTicket
{
    private readonly TaskCompletionSource<DeliveryReport> _done = new(TaskCreationOptions.RunContinuationsAsynchronously);
    private ulong _number;
    private ulong _view;
    private int _members;

    /// <summary>The message; passes to the protocol.</summary>
    public PooledPayload Payload { get; } = payload;

    /// <summary>The group's tickets that are not stable yet, once this is one of them. Core thread only.</summary>
    public HashSet<ConfirmTicket>? Unstable { get; set; }

    /// <summary>The report.</summary>
    public Task<DeliveryReport> Task => _done.Task;

    /// <inheritdoc/>
    public override void OnNumbered(ulong number, StepNumber groupView, int members)
    {
        _number = number;
        _view = groupView.Counter;
        _members = members;
    }

    /// <inheritdoc/>
    public override void OnStable(int removed, Instant now)
    {
        Unstable?.Remove(this);
        _done.TrySetResult(new DeliveryReport(_number, _view, Math.Max(0, _members - removed), removed, now - started));
    }

    /// <summary>The message's fate will not be known.</summary>
    public void Fail(Exception reason)
    {
        if (_done.TrySetException(reason)) _ = _done.Task.Exception;
    }
}
