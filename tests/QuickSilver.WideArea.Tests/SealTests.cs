using System.Security.Cryptography;
using QuickSilver.Protocol.Wire;
using QuickSilver.WideArea.Links;

namespace QuickSilver.WideArea.Tests;

/// <summary>Datagrams of links as they are sealed and opened.</summary>
public sealed class SealTests
{
    private readonly PreSharedKey _key = KeyOf();

    [Fact]
    public void What_is_sealed_opens_once()
    {
        using var sealer = new LinkSealer(Read(_key)[0], 1);
        using var opener = new LinkOpener(Read(_key), 0, 3);
        var seen = new HashSet<string>();
        for (int number = 0; number < 100; number++)
        {
            byte[] datagram = Seal(sealer, number);
            Assert.True(seen.Add(Convert.ToHexString(datagram.AsSpan(SealedLink.SaltAt, 24))));
            byte[] again = [.. datagram];
            Assert.Equal(RejectReason.None, opener.TryOpen(datagram, out int site, out Span<byte> plaintext));
            Assert.Equal(1, site);
            Assert.Equal(PlainOf(number), plaintext.ToArray());
            Assert.Equal(RejectReason.Replayed, opener.TryOpen(again, out _, out _));
        }
    }

    [Fact]
    public void Each_life_seals_with_a_key_of_its_own()
    {
        using var first = new LinkSealer(Read(_key)[0], 1);
        using var second = new LinkSealer(Read(_key)[0], 1);
        byte[] one = Seal(first, 5), other = Seal(second, 5);
        Assert.NotEqual(one[SealedLink.SaltAt..SealedLink.CounterAt], other[SealedLink.SaltAt..SealedLink.CounterAt]);
        Assert.NotEqual(one[SealedLink.HeaderBytes..], other[SealedLink.HeaderBytes..]);
        using var opener = new LinkOpener(Read(_key), 0, 3);
        Assert.Equal(RejectReason.None, opener.TryOpen(one, out _, out _));
        Assert.Equal(RejectReason.None, opener.TryOpen(other, out _, out _));
    }

    [Fact]
    public void A_changed_bit_anywhere_is_refused()
    {
        using var sealer = new LinkSealer(Read(_key)[0], 1);
        using var opener = new LinkOpener(Read(_key), 0, 3);
        byte[] good = Seal(sealer, 1);
        for (int bit = 0; bit < good.Length * 8; bit++)
        {
            byte[] bad = [.. good];
            bad[bit / 8] ^= (byte)(1 << (bit % 8));
            Assert.NotEqual(RejectReason.None, opener.TryOpen(bad, out _, out _));
        }
        for (int length = 0; length < good.Length; length++)
            Assert.NotEqual(RejectReason.None, opener.TryOpen(good[..length], out _, out _));
        Assert.Equal(RejectReason.None, opener.TryOpen(good, out _, out _));
    }

    [Fact]
    public void Another_key_is_stopped_at_the_gate_unless_it_is_accepted()
    {
        PreSharedKey old = KeyOf();
        using var sealer = new LinkSealer(Read(old)[0], 1);
        using var strict = new LinkOpener(Read(_key), 0, 3);
        using var open = new LinkOpener(Read(_key, old), 0, 3);
        Assert.Equal(RejectReason.Gate, strict.TryOpen(Seal(sealer, 1), out _, out _));
        Assert.Equal(RejectReason.None, open.TryOpen(Seal(sealer, 2), out _, out _));
    }

    [Fact]
    public void What_comes_back_to_its_sender_is_refused()
    {
        using var sealer = new LinkSealer(Read(_key)[0], 1);
        using var opener = new LinkOpener(Read(_key), 1, 3);
        Assert.Equal(RejectReason.WrongSource, opener.TryOpen(Seal(sealer, 1), out _, out _));
        using var small = new LinkOpener(Read(_key), 0, 1);
        Assert.Equal(RejectReason.WrongCluster, small.TryOpen(Seal(sealer, 2), out _, out _));
    }

    private static PreSharedKey KeyOf() =>
        PreSharedKey.FromBase64(Convert.ToBase64String(RandomNumberGenerator.GetBytes(32)));

    private static LinkKey[] Read(PreSharedKey key, params PreSharedKey[] accepted) =>
        LinkKey.Read(new SiteGatewayOptions().UsePreSharedKey(key, accepted));

    private static byte[] PlainOf(int number) => [.. Enumerable.Repeat((byte)number, 20 + number)];

    private static byte[] Seal(LinkSealer sealer, int number)
    {
        byte[] plain = PlainOf(number);
        var bytes = new byte[plain.Length + SealedLink.Overhead];
        sealer.Seal(plain, bytes);
        return bytes;
    }
}
