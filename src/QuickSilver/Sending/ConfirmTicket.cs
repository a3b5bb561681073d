using QuickSilver.Protocol.Core;
using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Sending;

/// <summary>Tracks the message of one <see cref="MessageSender.SendConfirmedAsync"/> call on the core thread and
/// completes the call on the thread pool.</summary>
/// <param name="payload">The bytes of the message.</param>
/// <param name="started">When the call was made.</param>
internal sealed class ConfirmTicket(PooledPayload payload, Instant started) : SendTicket
{
    private readonly TaskCompletionSource<DeliveryReport> _done = new(
        TaskCreationOptions.RunContinuationsAsynchronously);
    private ulong _number;
    private ulong _view;
    private int _members;

    /// <summary>When the call was made.</summary>
    public Instant Started { get; } = started;

    /// <summary>The bytes of the message. The protocol takes ownership.</summary>
    public PooledPayload Payload { get; } = payload;

    /// <summary>The set of the group's unstable tickets, once this ticket is in it. Core thread only.</summary>
    public HashSet<ConfirmTicket>? Unstable { get; set; }

    /// <summary>Completes with the report to the caller.</summary>
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
        _done.TrySetResult(new DeliveryReport(_number, _view, Math.Max(0, _members - removed), removed, now - Started));
    }

    /// <summary>Completes the call with an exception: the outcome of the message will stay unknown.</summary>
    public void Fail(Exception reason)
    {
        if (_done.TrySetException(reason)) _ = _done.Task.Exception;
    }
}
