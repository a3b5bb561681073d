using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>A key of texts that several region views share. Core thread only.</summary>
internal sealed class SharedKey
{
    private readonly byte[] _bytes;
    private readonly ulong[] _views;

    /// <summary>Takes a key.</summary>
    /// <param name="suite">The cryptography.</param>
    /// <param name="cipher">The cipher of the texts.</param>
    /// <param name="bytes">The key, in pinned memory; zeroed by <see cref="Close"/>.</param>
    /// <param name="sender">The <see cref="NodeNumber.Key"/> of the node that drew it; 0: this node.</param>
    /// <param name="views">Tag and counter of the views that this node drew it for.</param>
    public SharedKey(ICryptoSuite suite, SealCipher cipher, byte[] bytes, ulong sender, ulong[] views)
    {
        _bytes = bytes;
        _views = views;
        Sender = sender;
        Cipher = cipher;
        Span<byte> key = stackalloc byte[ICryptoSuite.KeyBytes];
        KeySchedule.Text(suite, cipher, bytes, key);
        Key = suite.MakeKey(cipher, key);
        key.Clear();
    }

    /// <summary>The node that drew it; 0: this node.</summary>
    public ulong Sender { get; }

    /// <summary>The cipher of the texts.</summary>
    public SealCipher Cipher { get; }

    /// <summary>Seals and opens with it.</summary>
    public ISealingKey Key { get; }

    /// <summary>Its bytes.</summary>
    public ReadOnlySpan<byte> Bytes => _bytes;

    /// <summary>The last counter that this node has sealed with.</summary>
    public ulong Counter { get; set; }

    /// <summary>True when this node draws another before it seals again.</summary>
    public bool IsUsedUp => Counter >= 1UL << KeySchedule.CountersOfAKey;

    /// <summary>True for the views that this node drew it for, in their order.</summary>
    public bool IsFor(ReadOnlySpan<ulong> views) => views.SequenceEqual(_views);

    /// <summary>True for one of the views that this node drew it for.</summary>
    public bool Includes(ulong view) => Array.IndexOf(_views, view) >= 0;

    /// <summary>Disposes of the key and zeroes its bytes.</summary>
    public void Close()
    {
        Key.Dispose();
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(_bytes);
    }
}
