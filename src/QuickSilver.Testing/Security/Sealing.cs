namespace QuickSilver.Testing.Security;

/// <summary>Whether a simulated cluster seals its datagrams, and with what.</summary>
internal enum Sealing
{
    /// <summary>It does not.</summary>
    None,

    /// <summary>With a cheap stand-in for cryptography that finds every change, and hides nothing.</summary>
    StandIn,

    /// <summary>With the cryptography of the package.</summary>
    Real,
}
