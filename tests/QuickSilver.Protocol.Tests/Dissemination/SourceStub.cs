using QuickSilver.Protocol.Dissemination.Messages;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A source with as many messages as the test gives it.</summary>
internal sealed class SourceStub(int ready, int bytes = 100) : IMessageSource
{
    public int Ready { get; set; } = ready;

    public int Asked { get; private set; }

    public Action? OnAsked { get; set; }

    public byte Mark { get; init; }

    public bool Write(MessageWriter messages)
    {
        do
        {
            if (!TryWriteNext(messages)) return false;
        }
        while (messages.EndMessage());
        return true;
    }

    private bool TryWriteNext(MessageWriter message)
    {
        Asked++;
        OnAsked?.Invoke();
        Span<byte> room = message.GetSpan(bytes)[..bytes];
        room.Fill(Mark);
        message.Advance(bytes);
        if (Ready == 0) return false;
        Ready--;
        return true;
    }
}
