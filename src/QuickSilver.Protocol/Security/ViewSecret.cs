using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Security;

/// <summary>
/// What the membership server tells a node of a region view's keys. A member gets the secret of the view. A sender that
/// is no member gets a secret of its own and the key of the gate: it reads what is said to it, and nothing of others.
/// </summary>
/// <param name="Cipher">The cipher of the view.</param>
/// <param name="Secret">The secret, <see cref="ICryptoSuite.KeyBytes"/> long: of the view, or of the sender.</param>
/// <param name="Gate">The key of the gate, <see cref="SipHash.KeyBytes"/> long; null for a member, which derives
/// it.</param>
internal readonly record struct ViewSecret(SealCipher Cipher, byte[] Secret, byte[]? Gate)
{
    /// <summary>True when it is a member's.</summary>
    public bool IsMembers => Gate is null;

    /// <summary>Zeroes both.</summary>
    public void Clear()
    {
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(Secret);
        System.Security.Cryptography.CryptographicOperations.ZeroMemory(Gate);
    }
}
