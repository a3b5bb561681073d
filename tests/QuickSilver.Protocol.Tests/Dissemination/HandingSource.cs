using QuickSilver.Protocol.Dissemination.Messages;
using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A source that hands over what the test gives it, in order, with the tickets.</summary>
internal sealed class HandingSource : IMessageSource
{
    private readonly Queue<(Payload Payload, SendTicket? Ticket, bool IsPiece)> _waiting = new();

    /// <summary>Messages that nobody has asked for yet.</summary>
    public int Waiting => _waiting.Count;

    public void Add(Payload payload, SendTicket? ticket, bool isPiece = false) =>
        _waiting.Enqueue((payload, ticket, isPiece));

    /// <summary>Gives up what nobody has asked for.</summary>
    public void Drop()
    {
        while (_waiting.TryDequeue(out (Payload Payload, SendTicket? Ticket, bool IsPiece) next))
            next.Payload.Release();
    }

    public bool Write(MessageWriter messages)
    {
        while (_waiting.TryDequeue(out (Payload Payload, SendTicket? Ticket, bool IsPiece) next))
        {
            if (!messages.Hand(next.Payload, next.Ticket, next.IsPiece)) return true;
        }
        return false;
    }
}
