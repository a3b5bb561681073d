using System.Text.RegularExpressions;
using System.Xml.Linq;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Wire;

/// <summary>The byte table of the header is its only specification: here it is held against the code.</summary>
public partial class ByteTableTests
{
    private static readonly IReadOnlyList<(int Offset, int Length, string Field)> Table = ReadTable(
        typeof(DatagramHeader));

    [Fact]
    public void OffsetsAndLengthsAddUp()
    {
        int next = 0;
        foreach ((int offset, int length, string field) in Table)
        {
            Assert.True(offset == next, $"{field} stands at {offset}, but the field before ends at {next}");
            next = offset + length;
        }
        Assert.Equal(DatagramHeader.Length, next);
        Assert.Equal(DatagramHeader.KindOffset, Entry("kind").Offset);
    }

    [Fact]
    public void EachFieldStandsWhereTheTableSays()
    {
        AssertField("kind", header => header with { Kind = DatagramKind.Probe });
        AssertField("flags", header => header with { Flags = (DatagramFlags)0xFFFF });
        AssertField("cluster instance", header => header with { Cluster = ulong.MaxValue });
        AssertField("view tag", header => header with { ViewTag = uint.MaxValue });
        AssertField("view counter", header => header with { ViewCounter = uint.MaxValue });
        AssertField("sender", header => header with { Sender = ulong.MaxValue });
        AssertField("sequence", header => header with { Sequence = ulong.MaxValue });
    }

    private static void AssertField(string name, Func<DatagramHeader, DatagramHeader> change)
    {
        (int offset, int length, _) = Entry(name);
        DatagramHeader header = new() { Kind = DatagramKind.Beacon };
        byte[] before = WireSamples.Datagram(header);
        byte[] after = WireSamples.Datagram(change(header));
        (int checksum, int checksumLength, _) = Entry("header checksum");
        for (int index = 0; index < DatagramHeader.Length; index++)
        {
            bool mayChange = (index >= offset && index < offset + length)
                || (index >= checksum && index < checksum + checksumLength);
            Assert.True(mayChange || before[index] == after[index], $"{name} changes byte {index}");
        }
        Assert.False(
            before.AsSpan(offset, length).SequenceEqual(after.AsSpan(offset, length)),
            $"{name} changes nothing at {offset}");
    }

    private static (int Offset, int Length, string Field) Entry(string name) =>
        Table.Single(entry => entry.Field == name);

    private static List<(int, int, string)> ReadTable(Type type)
    {
        string path = Path.ChangeExtension(type.Assembly.Location, ".xml");
        XElement member = XDocument.Load(path).Descendants("member")
            .Single(element => (string?)element.Attribute("name") == "T:" + type.FullName);
        var table = new List<(int, int, string)>();
        foreach (Match row in Row().Matches(member.Descendants("code").First().Value))
        {
            table.Add((int.Parse(row.Groups[1].Value), int.Parse(row.Groups[2].Value), row.Groups[3].Value));
        }
        return table;
    }

    [GeneratedRegex(@"^\s*(\d+)\s+(\d+)\s(\S+(?: \S+)*)(?:\s{2,}|$)", RegexOptions.Multiline)]
    private static partial Regex Row();
}
