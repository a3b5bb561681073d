using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A source of 300 messages, some of which it writes, in batches where it may, and some of which it hands over
/// with tickets.</summary>
internal sealed class MixedSource : IMessageSource
{
    private int _next;

    public List<TicketStub> Tickets { get; } = [];

    public List<SendPayload> Payloads { get; } = [];

    /// <summary>One in seven, and the long ones.</summary>
    public static bool IsHanded(int index) => index % 7 == 3 || index % 50 == 49;

    public static int LengthOf(int index) => index % 50 == 49 ? 5_000 : 60;

    public bool Write(MessageWriter messages)
    {
        while (_next < 300)
        {
            int index = _next++;
            byte[] bytes = new byte[LengthOf(index)];
            bytes[0] = (byte)index;
            if (IsHanded(index))
            {
                Tickets.Add(new TicketStub());
                Payloads.Add(new SendPayload(bytes));
                // Something that must be forgotten.
                if (index % 2 == 0) messages.GetSpan(3)[..3].Fill(0xEE);
                if (index % 4 == 0) messages.Advance(3);
                messages.Hand(Payloads[^1], Tickets[^1]);
                return true;
            }
            bytes.CopyTo(messages.GetSpan(bytes.Length));
            messages.Advance(bytes.Length);
            if (!messages.EndMessage()) return true;
        }
        return false;
    }
}
