using QuickSilver.Protocol.Flow;

namespace QuickSilver.Protocol.Tests.Flow;

public sealed class PayloadTests
{
    [Fact]
    public void TheLastReleaseRecyclesAndLeavesOneReferenceForTheNextUse()
    {
        var payload = new CountedPayload();
        payload.Retain();
        payload.Release();
        Assert.Equal(0, payload.Recycled);
        payload.Release();
        Assert.Equal(1, payload.Recycled);

        payload.Release();
        Assert.Equal(2, payload.Recycled);
    }

    private sealed class CountedPayload : Payload
    {
        public int Recycled { get; private set; }

        public override ReadOnlySpan<byte> Span => default;

        protected override void Recycle() => Recycled++;
    }
}
