namespace QuickSilver.Protocol.Dissemination.Messages;

/// <summary>
/// Message records for reuse; as many are kept as were ever in use at once, which the limits of pending bound.
/// </summary>
internal sealed class MessagePool
{
    private readonly Stack<OutgoingMessage> _free = new();

    public OutgoingMessage Take(GroupLedger group, SendTicket? ticket)
    {
        if (!_free.TryPop(out OutgoingMessage? message)) message = new OutgoingMessage();
        message.Group = group;
        message.Ticket = ticket;
        return message;
    }

    public void Return(OutgoingMessage message)
    {
        System.Diagnostics.Debug.Assert(
            message is { Unpacked: 0, Unstable: 0, OwnDone: true },
            "a record that is still in use");
        // Fields that the next use writes before it reads them are left as they are. Thousands of records return at
        // once, and each cache line not touched saves a stall.
        message.Next = null;
        message.Group = null!;
        message.Ticket = null;
        message.Removed = 0;
        message.IsComplete = false;
        message.OwnWaits = false;
        message.OwnDone = false;
        _free.Push(message);
    }
}
