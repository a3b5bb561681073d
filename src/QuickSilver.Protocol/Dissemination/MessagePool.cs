namespace QuickSilver.Protocol.Dissemination;

/// <summary>Message records for reuse; as many are kept as were ever in use at once, which the limits of pending bound.</summary>
internal sealed class MessagePool
{
    private readonly Stack<OutgoingMessage> _free = new();

    public OutgoingMessage Take(GroupSender group, SendTicket? ticket)
    {
        if (!_free.TryPop(out OutgoingMessage? message)) message = new OutgoingMessage();
        message.Group = group;
        message.Ticket = ticket;
        return message;
    }

    public void Return(OutgoingMessage message)
    {
        System.Diagnostics.Debug.Assert(message is { Unpacked: 0, Unstable: 0, OwnDone: true }, "a record that is still in use");
        message.Next = null;
        message.Group = null!;
        message.Ticket = null;
        message.Length = 0;
        message.Ordinal = 0;
        message.Number = 0;
        message.Step = default;
        message.PreviousStep = default;
        message.Removed = 0;
        message.IsComplete = false;
        message.OwnWaits = false;
        message.OwnDone = false;
        message.OwnBytes = default;
        _free.Push(message);
    }
}
