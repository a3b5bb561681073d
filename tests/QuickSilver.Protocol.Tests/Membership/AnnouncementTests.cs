using QuickSilver.Protocol.Membership.Discovery;
using QuickSilver.Protocol.Membership.Frames;
using QuickSilver.Protocol.Tests.Wire;
using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Membership;

/// <summary>Announcements of servers, byte by byte.</summary>
public sealed class AnnouncementTests
{
    private const string Plain =
        "51 53 41 4E  01  01  88 77 66 55 44 33 22 11  07 00 00 00 00 00 00 00  05 00 00 0A 97 75  AC 02  03"
        + "04 64 65 6D 6F  00 00 00 00 00 00 00 00";

    private const string Proven =
        "51 53 41 4E  01  02  01 00 00 00 00 00 00 00  FF FF FF FF FF FF FF FF"
        + "EE DD CC BB 97 F5 04 AA 99 88 77 66 55 44 33 22 11 00 FD  00  00  02 C3 A9  EF CD AB 89 67 45 23 01"
        + "0001020304050607 08090A0B0C0D0E0F 1011121314151617 18191A1B1C1D1E1F";

    private static readonly NetEndpoint Far =
        new(new NetAddress(0xFD00_1122_3344_5566, 0x7788_99AA_BBCC_DDEE), 14_999);

    [Fact]
    public void What_is_written_is_the_golden_bytes()
    {
        Assert.Equal(Bytes(Plain), Write(Server("demo"u8)));
        var candidate = new Announcement
        {
            Kind = AnnouncementKind.Candidate,
            Sender = 1,
            Number = ulong.MaxValue,
            EndPoint = Far,
            Cluster = "é"u8,
            Key = 0x0123_4567_89AB_CDEF,
        };
        Assert.Equal(Bytes(Proven)[..^Announcement.ProofBytes], Write(candidate));
    }

    [Fact]
    public void The_golden_bytes_are_read()
    {
        Assert.True(Announcement.TryRead(Bytes(Plain), out Announcement plain));
        Assert.Equal(
            (AnnouncementKind.Server, 0x1122_3344_5566_7788UL, 7UL, new NetEndpoint(0x0A000005, 14_999), 300UL, 3),
            (plain.Kind, plain.Sender, plain.Number, plain.EndPoint, plain.Term, plain.Members));
        Assert.Equal("demo"u8, plain.Cluster);
        Assert.Equal(0UL, plain.Key);
        Assert.Equal(Bytes(Plain), plain.Proven.ToArray());
        Assert.True(plain.Proof.IsEmpty);

        byte[] bytes = Bytes(Proven);
        Assert.True(Announcement.TryRead(bytes, out Announcement proven));
        Assert.Equal(
            (AnnouncementKind.Candidate, 1UL, ulong.MaxValue, Far, 0UL, 0),
            (proven.Kind, proven.Sender, proven.Number, proven.EndPoint, proven.Term, proven.Members));
        Assert.Equal(0x0123_4567_89AB_CDEFUL, proven.Key);
        Assert.Equal(bytes[..^Announcement.ProofBytes], proven.Proven.ToArray());
        Assert.Equal(bytes[^Announcement.ProofBytes..], proven.Proof.ToArray());
    }

    [Fact]
    public void The_longest_announcement_has_room_in_a_datagram()
    {
        var longest = new Announcement
        {
            Kind = AnnouncementKind.Server,
            Sender = ulong.MaxValue,
            Number = ulong.MaxValue,
            EndPoint = Far with { Port = ushort.MaxValue },
            Term = uint.MaxValue,
            Members = int.MaxValue,
            Cluster = new byte[FrameFields.MaxNameBytes],
            Key = 1,
        };
        byte[] whole = [.. Write(longest), .. new byte[Announcement.ProofBytes]];
        Assert.InRange(whole.Length, 1, Announcement.MaxBytes);
        Assert.True(Announcement.TryRead(whole, out _));
    }

    [Theory]
    [InlineData(0, 0x50)] // the magic
    [InlineData(4, 2)] // the version
    [InlineData(5, 0)] // the kind
    [InlineData(5, 3)]
    [InlineData(14, 0)] // the number 0
    [InlineData(25, 224)] // a group
    [InlineData(25, 255)] // all hosts
    [InlineData(25, 0)] // no host
    [InlineData(31, 0)] // a name without a byte
    [InlineData(31, 3)] // what is left over is read as a key
    public void What_is_malformed_is_refused(int position, byte value)
    {
        byte[] bytes = Bytes(Plain);
        bytes[position] = value;
        Assert.False(Announcement.TryRead(bytes, out _));
    }

    [Fact]
    public void Every_part_and_what_is_longer_is_refused()
    {
        foreach (byte[] whole in new[] { Bytes(Plain), Bytes(Proven) })
        {
            for (int length = 0; length < whole.Length; length++)
                Assert.False(Announcement.TryRead(whole.AsSpan(0, length), out _));
            Assert.False(Announcement.TryRead([.. whole, 0], out _));
            Assert.False(Announcement.TryRead([.. whole, .. new byte[Announcement.MaxBytes]], out _));
        }
    }

    [Fact]
    public void Any_bytes_are_an_announcement_or_refused() => Totality.Check(
        input =>
        {
            if (!Announcement.TryRead(input, out Announcement read)) return false;
            bool isWhole = input.Length == read.Proven.Length + read.Proof.Length;
            bool isSound = read.EndPoint is { Port: > 0, Address.IsHost: true } && !read.Cluster.IsEmpty;
            return isWhole && isSound ? true : throw new InvalidOperationException("what was read makes no sense");
        },
        Bytes(Plain), Bytes(Proven));

    [Fact]
    public void An_announcement_has_one_form() => Totality.CheckOneForm(
        bytes => Announcement.TryRead(bytes, out Announcement read) ? [.. Write(read), .. read.Proof] : null,
        Bytes(Plain), Bytes(Proven));

    private static Announcement Server(ReadOnlySpan<byte> cluster) => new()
    {
        Kind = AnnouncementKind.Server,
        Sender = 0x1122_3344_5566_7788,
        Number = 7,
        EndPoint = new NetEndpoint(0x0A000005, 14_999),
        Term = 300,
        Members = 3,
        Cluster = cluster,
    };

    private static byte[] Write(in Announcement announcement)
    {
        var frame = new FrameBuilder();
        announcement.WriteTo(frame);
        return frame.ToArray();
    }

    private static byte[] Bytes(string hex) => Convert.FromHexString(hex.Replace(" ", "", StringComparison.Ordinal));
}
