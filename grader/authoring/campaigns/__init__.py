"""Hidden tests by the thousand: is right code refused, does wrong code always lose the same?"""
