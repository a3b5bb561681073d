using QuickSilver.Protocol.Membership;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Dissemination;

/// <summary>The naive receiver of one stream: puts records together in the order in which they come.</summary>
internal sealed class StreamModel(RegionView view)
{
    private readonly Dictionary<(GroupId Group, ulong Number), List<byte>> _parts = [];

    /// <summary>Whole messages in the order in which their last byte came.</summary>
    public List<(GroupId Group, ulong Number, StepNumber Step, byte[] Bytes)> Messages { get; } = [];

    /// <summary>Messages that came as the first of their group, with the step before.</summary>
    public Dictionary<(GroupId Group, ulong Number), StepNumber> Firsts { get; } = [];

    public ulong Highest { get; private set; }

    public int Records { get; private set; }

    public void Take(IEnumerable<SentTrain> trains)
    {
        foreach (SentTrain train in trains)
        {
            for (int index = 0; index < train.Datagrams.Count; index++)
                Take(train.Datagrams[index], train.Headers[index]);
        }
    }

    private void Take(byte[] datagram, in DatagramHeader header)
    {
        Assert.Equal(++Highest, header.Sequence);
        Assert.Equal(view.Number.Tag, header.ViewTag);
        var reader = new WireReader(datagram.AsSpan(DatagramHeader.Length));
        StepNumber step = view.FirstStep with { Counter = view.FirstStep.Counter + reader.ReadVarint() };
        int records = 0;
        while (PacketRecord.TryRead(ref reader, datagram.Length, view.Number.Epoch, out PacketRecord record))
        {
            records++;
            for (int index = 0; index < record.Count; index++) Add(record, index, step);
        }
        Assert.True(reader.IsAtEnd);
        Assert.True(records > 0);
        Records += records;
    }

    private void Add(in PacketRecord record, int index, StepNumber step)
    {
        GroupId group = view.Region.Groups[record.GroupIndex];
        ulong number = record.Number + (ulong)index;
        (GroupId, ulong) key = (group, number);
        if (record.IsFirst) Firsts[key] = record.PreviousStep;
        if (!_parts.TryGetValue(key, out List<byte>? bytes)) _parts.Add(key, bytes = []);
        Assert.Equal(bytes.Count, record.FragmentOffset);
        bytes.AddRange(
            record.IsFragment ? record.Bytes : record.Bytes.Slice(index * record.MessageLength, record.MessageLength));
        if (bytes.Count < record.MessageLength) return;
        _parts.Remove(key);
        Messages.Add((group, number, step, [.. bytes]));
    }
}
