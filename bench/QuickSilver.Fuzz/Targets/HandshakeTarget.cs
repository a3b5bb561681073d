using System.Buffers.Binary;
using System.Security.Cryptography.X509Certificates;
using QuickSilver.Security;

namespace QuickSilver.Fuzz.Targets;

/// <summary>What strangers send before they have proven anything: a preface, the proof of a key, the names in a
/// certificate. The first byte of an input says which.</summary>
internal static class HandshakeTarget
{
    private const byte PrefaceKind = 0;
    private const byte ProofKind = 1;
    private const byte NameKind = 2;

    // A refusal is an exception with a text.
    private const int Fixed = 16 << 10;

    private static readonly byte[] ServerRandom = [.. Enumerable.Range(0, 32).Select(static one => (byte)one)];
    private static readonly SecurityKey Key = new([.. Enumerable.Range(0, 32).Select(static one => (byte)(one * 5))]);
    private static readonly X509Certificate2 Certificate = OwnCertificate.Context.TargetCertificate;

    /// <summary>Creates the target.</summary>
    public static FuzzTarget Create() =>
        new DelegateTarget("handshake", [.. Valid()], Try) { Fixed = Fixed, PerByte = 8 };

    private static IEnumerable<byte[]> Valid()
    {
        yield return [PrefaceKind, .. Preface.Of(SecurityMode.PreSharedKey)];
        yield return [ProofKind, .. Proof()];
        foreach (string name in (string[])["node.example", "10.0.0.5", "spiffe://example/node"])
        {
            var names = new SubjectAlternativeNameBuilder();
            if (name.Contains("://", StringComparison.Ordinal)) names.AddUri(new Uri(name));
            else if (System.Net.IPAddress.TryParse(name, out System.Net.IPAddress? ip)) names.AddIpAddress(ip);
            else names.AddDnsName(name);
            yield return [NameKind, .. names.Build().RawData];
        }
    }

    private static byte[] Proof()
    {
        byte[] random = [.. Enumerable.Range(0, 32).Select(static one => (byte)(one * 3))];
        byte[] message = new byte[KeyChannelSecurity.NodeBytes];
        BinaryPrimitives.WriteUInt64LittleEndian(message, Key.Id);
        random.CopyTo(message, SecurityKey.IdBytes);
        byte[] transcript = KeyChannelSecurity.Transcript(
            "qs node"u8, ServerRandom, random, Certificate, Certificate);
        Key.Prove(transcript, message.AsSpan(SecurityKey.IdBytes + random.Length));
        return message;
    }

    private static bool Try(Span<byte> input)
    {
        if (input.IsEmpty) return false;
        Span<byte> rest = input[1..];
        switch (input[0] % 3)
        {
            case PrefaceKind:
                return rest.Length == Preface.Bytes && IsFit(rest);
            case ProofKind:
                return rest.Length == KeyChannelSecurity.NodeBytes
                    && KeyChannelSecurity.Answer(rest, [Key], ServerRandom, Certificate, Certificate)[0] == 0;
            default:
                return CertificateJudge.IdentityIn(rest.ToArray()) is not null;
        }
    }

    private static bool IsFit(ReadOnlySpan<byte> preface)
    {
        try
        {
            Preface.Check(preface, SecurityMode.PreSharedKey);
            return true;
        }
        catch (HandshakeException)
        {
            return false;
        }
    }
}
