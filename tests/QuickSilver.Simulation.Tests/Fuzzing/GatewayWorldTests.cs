using QuickSilver.Fuzz.Worlds;
using QuickSilver.Protocol.Sites.Frames;

namespace QuickSilver.Simulation.Tests.Fuzzing;

/// <summary>What is damaged of a link between sites.</summary>
public sealed class GatewayWorldTests
{
    [Fact]
    public void AllKindsOfDatagramsAndRecordsAreDamaged()
    {
        var kinds = new HashSet<LinkKind>();
        var records = new HashSet<RecordKind>();
        foreach (byte[] datagram in new GatewayWorld().Valid)
        {
            LinkHeader.TryRead(datagram, out LinkHeader header);
            kinds.Add(header.Kind);
            if (header.Kind != LinkKind.Data) continue;
            Assert.True(LinkDataBody.TryRead(datagram.AsSpan(LinkHeader.Length), out LinkDataBody data));
            records.Add((RecordKind)data.Record[0]);
        }

        Assert.Equal(Enum.GetValues<LinkKind>().Order(), kinds.Order());
        Assert.Equal(Enum.GetValues<RecordKind>().Order(), records.Order());
    }
}
