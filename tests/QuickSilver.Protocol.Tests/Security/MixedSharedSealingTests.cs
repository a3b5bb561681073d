using QuickSilver.Protocol.Wire;

namespace QuickSilver.Protocol.Tests.Security;

public sealed class MixedSharedSealingTests() : SharedSealingTests(SealCipher.Aegis128L, SealCipher.Aes256Gcm);
