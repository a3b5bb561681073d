using BenchmarkDotNet.Attributes;
using QuickSilver.Protocol.Security;
using QuickSilver.Protocol.Wire;
using QuickSilver.Security;

namespace QuickSilver.Benchmarks.Security;

/// <summary>
/// A call of each cipher, in place, with the 48 bytes of a header beside the text. 64 bytes are a small datagram of
/// control, 1,332 a packet on Ethernet, 8,000 and 60,000 packets over loopback.
/// </summary>
[MemoryDiagnoser]
public class CipherBenchmarks
{
    private readonly byte[] _nonce = new byte[ICryptoSuite.NonceBytes];
    private readonly byte[] _header = new byte[DatagramHeader.Length];
    private byte[] _text = [];
    private byte[] _sealed = [];
    private byte[] _opened = [];
    private byte[] _tag = [];
    private byte[] _openTag = [];
    private ISealingKey? _key;

    [Params("AEGIS-128L", "AES-256-GCM", "ChaCha20-Poly1305")]
    public string Cipher { get; set; } = "";

    [Params(64, 1_332, 8_000, 60_000)]
    public int Bytes { get; set; }

    [GlobalSetup]
    public void Setup()
    {
        SealCipher cipher = Enum.GetValues<SealCipher>().First(known => SealCiphers.NameOf(known) == Cipher);
        _key = new CipherSuite(CipherSuite.OfPlatform).MakeKey(cipher, new byte[ICryptoSuite.KeyBytes]);
        _text = new byte[Bytes];
        _sealed = new byte[Bytes];
        _opened = new byte[Bytes];
        _tag = new byte[SealCiphers.TagBytesOf(cipher)];
        _key.Seal(_nonce, _header, _text, _sealed, _openTag = new byte[_tag.Length]);
    }

    [GlobalCleanup]
    public void Cleanup() => _key?.Dispose();

    [Benchmark]
    public void Seal() => _key!.Seal(_nonce, _header, _text, _text, _tag);

    [Benchmark]
    public bool Open() => _key!.TryOpen(_nonce, _header, _sealed, _openTag, _opened);
}
