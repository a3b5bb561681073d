using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>A payload that counts how often its memory was given back.</summary>
internal sealed class SendPayload(byte[] bytes) : Payload
{
    public int Recycled { get; private set; }

    public override ReadOnlySpan<byte> Span => bytes;

    protected override void Recycle() => Recycled++;
}
